// Updates: a release file that somebody chooses is checked with its packages, and what does not hold is refused by its value. Nothing
// is asked of anybody else.

import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { sharedVisit } from './support/visit.mjs';

const archive = { name: 'bobbin-99.0.0-x86_64-linux.tar.gz', mimeType: 'application/gzip', buffer: Buffer.from('packed') };
const deb = { name: 'bobbin_99.0.0_amd64.deb', mimeType: 'application/vnd.debian.binary-package', buffer: Buffer.from('packed, too') };

const keys = generateKeyPairSync('ed25519');

let visitor, page;
sharedVisit({ met: (there) => ({ visitor, page } = there) });

/** Refusals are told on the page, and by the browser's console too. */
const hush = () => (visitor.complaints = visitor.complaints.filter((what) => !what.includes('the server responded with')));

/** The public half, as people paste it. */
const publicKey = () => keys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');

/** As `cargo xtask package --sign` writes it. */
function releaseFile(build) {
  const packages = [archive, deb].map(({ name, buffer }) => ({ name, bytes: buffer.length, sha256: createHash('sha256').update(buffer).digest('hex') }));
  const said = {
    format: 'bobbin-release',
    format_version: 1,
    version: '99.0.0',
    released: '2026-11-25',
    store_schema: build.store_schema + 1,
    oldest_store_schema: 1,
    batch_format: 1,
    changes: '### Added\n\n- A new *thing*, and `code`.',
    packages,
  };
  const text = JSON.stringify(said);
  const signature = sign(null, Buffer.from(text), keys.privateKey).toString('hex');
  return { name: 'bobbin-99.0.0.release', mimeType: 'application/json', buffer: Buffer.from(`${JSON.stringify({ text, signature })}\n`) };
}

const button = () => page.getByRole('button', { name: 'Check a release file…' });

async function choose(...files) {
  const asked = page.waitForEvent('filechooser');
  await button().click();
  await (await asked).setFiles(files);
}

test('a release file is checked with its packages, and says what it brings', async () => {
  const build = await visitor.ask('this_build');
  await visitor.go('settings/updates', '#setting-release');
  await page.getByText(`schema ${build.store_schema}`, { exact: true }).waitFor();
  // A build that trusts no key asks for one.
  assert.equal(await button().isDisabled(), true);
  await page.getByLabel('Release key').fill(publicKey());
  await choose(releaseFile(build), archive, deb);
  await page.getByText('Bobbin 99.0.0 is newer than this build').waitFor();
  await page.getByText(`schema ${build.store_schema} → ${build.store_schema + 1}`).waitFor();
  assert.equal(await page.getByText('matches the release').count(), 2);
  await page.getByText('sudo dpkg -i bobbin_99.0.0_amd64.deb').waitFor();
  await page.getByText('What changes in 99.0.0').click();
  await page.locator('details code', { hasText: 'code' }).waitFor();
  for (const theme of ['light', 'dark']) await visitor.shot(`settings-updates-checked-${theme}`, theme, { fullPage: true });
  await accessible(page);
  visitor.quiet();
});

test('without its packages there is nothing to install yet', async () => {
  const build = await visitor.ask('this_build');
  await choose(releaseFile(build));
  await page.getByText('The packages were not checked.').waitFor();
  assert.equal(await page.getByText('sudo dpkg').count(), 0);
  visitor.quiet();
});

test('what was changed is refused by its value, and no answer of before stays', async () => {
  const file = releaseFile(await visitor.ask('this_build'));
  await choose(file, { ...deb, buffer: Buffer.from('packed, txx') });
  await page.getByRole('alert').filter({ hasText: 'bobbin_99.0.0_amd64.deb is not the package that was released' }).waitFor();
  assert.equal(await page.getByText('is newer than this build').count(), 0);
  hush();
  await choose({ ...file, buffer: Buffer.from(file.buffer.toString().replace('99.0.0', '99.0.1')) });
  await page.getByRole('alert').filter({ hasText: 'is not signed with the key' }).waitFor();
  hush();
  await choose(archive, deb);
  await page.getByRole('alert').filter({ hasText: 'none of these is a release file' }).waitFor();
  await page.getByLabel('Release key').fill('0123');
  await choose(file);
  await page.getByRole('alert').filter({ hasText: '0123 cannot be used' }).waitFor();
  hush();
  visitor.quiet();
});
