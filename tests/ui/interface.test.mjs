// A receiver that other machines reach says so wherever one is, and gives them their lines.

import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { describe, test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { sharedVisit } from './support/visit.mjs';

const address = Object.values(networkInterfaces())
  .flat()
  .find((one) => one.family === 'IPv4' && !one.internal)?.address;

describe('a named interface', { skip: address === undefined && 'this machine is in no network' }, () => {
  let bobbin, visitor, page;
  sharedVisit({ args: ['--interface', address], met: (there) => ({ bobbin, visitor, page } = there) });

  const there = () => `${address}:${bobbin.listening.tcp.split(':').at(-1)}`;

  test('the bar says so, and leads to where it is set', async () => {
    await page.getByRole('link', { name: `Other machines can reach the receiver at ${there()}` }).click();
    const setting = page.getByRole('group', { name: 'Interface' });
    await setting.getByText(`Other machines reach it at ${there()}`).waitFor();
    await setting.getByText(`bobbin.receiver: ${bobbin.listening.receiver}`).waitFor();
    assert.ok(bobbin.listening.receiver.startsWith(`https://${there()}#sha256=`));
    assert.equal(await setting.getByText('This machine only').count(), 0);
    await accessible(page);
    await visitor.shot('interface-open', 'light', { fullPage: true });
    visitor.quiet();
  });

  test('the lines for another machine have one that needs no tunnel', async () => {
    await visitor.go('connect?at=remote', '#remote');
    await page.getByLabel('Where the scheduler starts').fill('far.example.org');
    await page.getByRole('button', { name: 'Generate commands' }).click();
    const line = await page.getByLabel('The receiver without a tunnel').innerText();
    assert.equal(line.trim(), `export DASK_BOBBIN__RECEIVER='${bobbin.listening.receiver}'`);
    await accessible(page);
    visitor.quiet();
  });
});
