// A receiver that other machines reach says so wherever one is, and gives them their lines.

import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { Bobbin } from './support/bobbin.mjs';
import { launch, Visitor } from './support/browser.mjs';

const address = Object.values(networkInterfaces())
  .flat()
  .find((one) => one.family === 'IPv4' && !one.internal)?.address;

describe('a named interface', { skip: address === undefined && 'this machine is in no network' }, () => {
  let bobbin, browser, visitor, page;

  before(async () => {
    [bobbin, browser] = await Promise.all([Bobbin.start('--interface', address), launch()]);
    visitor = await Visitor.enter(browser, bobbin);
    page = visitor.page;
  });

  after(async () => {
    await visitor?.context.close();
    await bobbin?.remove();
    await browser?.close();
  });

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
