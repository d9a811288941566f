// Asks a window to close as a window manager does: a WM_DELETE_WINDOW message. There is no window manager on a test
// display, and no small tool that does this without one, so it is said in X's own words.

import { connect } from 'node:net';

const INTERN_ATOM = 16;
const SEND_EVENT = 25;
const CLIENT_MESSAGE = 33;

export async function ask_to_close(display, window) {
  const socket = connect(`/tmp/.X11-unix/X${display.name.slice(1)}`);
  const reader = new Reader(socket);
  try {
    const hello = Buffer.alloc(12);
    hello.write('l');
    hello.writeUInt16LE(11, 2);
    socket.write(hello);
    const answer = await reader.take(8);
    await reader.take(answer.readUInt16LE(6) * 4);
    if (answer[0] !== 1) throw new Error('the display refuses the connection');

    const protocols = await atom(socket, reader, 'WM_PROTOCOLS');
    const close = await atom(socket, reader, 'WM_DELETE_WINDOW');
    const request = Buffer.alloc(44);
    request[0] = SEND_EVENT;
    request.writeUInt16LE(11, 2);
    request.writeUInt32LE(window, 4);
    request[12] = CLIENT_MESSAGE;
    request[13] = 32;
    request.writeUInt32LE(window, 16);
    request.writeUInt32LE(protocols, 20);
    request.writeUInt32LE(close, 24);
    socket.write(request);
    // Answered only after the event went out.
    await atom(socket, reader, 'WM_PROTOCOLS');
  } finally {
    socket.destroy();
  }
}

async function atom(socket, reader, name) {
  const padded = Math.ceil(name.length / 4) * 4;
  const request = Buffer.alloc(8 + padded);
  request[0] = INTERN_ATOM;
  request.writeUInt16LE(2 + padded / 4, 2);
  request.writeUInt16LE(name.length, 4);
  request.write(name, 8);
  socket.write(request);
  return (await reader.take(32)).readUInt32LE(8);
}

class Reader {
  #bytes = Buffer.alloc(0);
  #chunks;

  constructor(socket) {
    this.#chunks = socket[Symbol.asyncIterator]();
  }

  async take(count) {
    while (this.#bytes.length < count) {
      const { value, done } = await this.#chunks.next();
      if (done) throw new Error('the display hung up');
      this.#bytes = Buffer.concat([this.#bytes, value]);
    }
    const taken = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return taken;
  }
}
