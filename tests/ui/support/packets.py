"""Every packet that a process in this network namespace sends by the way to the world: a line of each, as "protocol address"."""

import socket
import struct
import sys

ETHERNET_ALL = 3
PROTOCOLS = {1: "icmp", 6: "tcp", 17: "udp"}
# The kernel looks for neighbours and routers by itself, whoever runs: ICMPv6, or a hop-by-hop header before it.
KERNELS_OWN = {0, 58}


def question(message):
    """The name that a message asks a name server for."""
    labels, rest = [], message[12:]
    while rest and rest[0]:
        labels.append(rest[1 : 1 + rest[0]].decode("ascii", "replace"))
        rest = rest[1 + rest[0] :]
    return ".".join(labels)


def told(frame):
    """What a frame says of itself; nothing of one that is the kernel's own."""
    kind, packet = struct.unpack("!H", frame[12:14])[0], frame[14:]
    if kind == 0x0800:
        protocol, address, at = packet[9], socket.inet_ntop(socket.AF_INET, packet[16:20]), (packet[0] & 15) * 4
    elif kind == 0x86DD:
        protocol, address, at = packet[6], socket.inet_ntop(socket.AF_INET6, packet[24:40]), 40
        if protocol in KERNELS_OWN:
            return None
    else:
        return "ethernet %04x" % kind
    line = "%s to %s" % (PROTOCOLS.get(protocol, protocol), address)
    if protocol not in (6, 17):
        return line
    port = struct.unpack("!H", packet[at + 2 : at + 4])[0]
    return "%s port %d%s" % (line, port, " for " + question(packet[at + 8 :]) if (protocol, port) == (17, 53) else "")


def main(interface):
    log = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHERNET_ALL))
    log.bind((interface, ETHERNET_ALL))
    print("listening", flush=True)
    while True:
        line = told(log.recv(65535))
        if line is not None:
            print(line, flush=True)


main(sys.argv[1])
