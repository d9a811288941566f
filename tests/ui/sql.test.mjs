// The store asked in SQL from the page, and the questions of other panels opened there.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { sharedVisit } from './support/visit.mjs';

let visitor, page;
sharedVisit({ args: ['--demo'], met: (there) => ({ visitor, page } = there) });

const editor = () => page.getByRole('textbox', { name: 'Query' });

async function asked(sql) {
  await editor().fill(sql);
  await editor().press('Control+Enter');
}

test('a question is asked with the keys, is in the address, and the way back is its history', async () => {
  await visitor.go('sql', 'textarea');
  await asked("select 1 as first, 'one' as word");
  await page.getByRole('cell', { name: 'one', exact: true }).waitFor();
  await page.waitForURL(/#\/1\/sql\?sql=select/);
  await asked('select 2 as second');
  await page.getByRole('columnheader', { name: 'second' }).waitFor();
  await page.goBack();
  await page.getByRole('cell', { name: 'one', exact: true }).waitFor();
  assert.equal(await editor().inputValue(), "select 1 as first, 'one' as word");
});

test('what is sealed is shown as sealed, and what writes is refused in words', async () => {
  await visitor.go('sql', 'textarea');
  await asked('select message_sealed from exception where message_sealed is not null limit 3');
  await page.getByRole('cell', { name: /^sealed, \d+ bytes$/ }).first().waitFor();
  await asked('delete from cluster');
  await page.getByText('queries are read-only').waitFor();
  await asked('selec 1');
  await page.getByText('SQLite can’t run this query').waitFor();
  await asked('select count(*) as clusters from cluster');
  await page.getByRole('columnheader', { name: 'clusters' }).waitFor();
});

test('a long question is cancelled', async () => {
  await visitor.go('sql', 'textarea');
  await asked('with recursive n (i) as (select 1 union all select i + 1 from n) select max(i) from n');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('the query was canceled').waitFor();
});

test('the help writes the names of tables and columns', async () => {
  await visitor.go('sql', 'textarea');
  await editor().fill('select * from');
  await page.getByPlaceholder('Table or column').fill('scheduler_id');
  await page.locator('summary', { hasText: /^cluster$/ }).click();
  await page.getByRole('button', { name: 'Insert cluster into the query' }).click();
  assert.equal(await editor().inputValue(), 'select * from cluster');
});

test('what the panels of a page ask is opened as SQL and runs', async () => {
  await visitor.go('cluster/1?tab=groups', 'table tbody tr');
  await page.keyboard.press('q');
  const dialog = page.getByRole('dialog', { name: 'Queries as SQL' });
  const groups = dialog.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Task groups' }) });
  await groups.getByRole('button', { name: 'Copy as SQL: Task groups', exact: true }).waitFor();
  await accessible(page);
  await visitor.shot('sql-copy', 'light');
  await groups.getByRole('button', { name: 'Open Task groups', exact: true }).click();
  await page.getByRole('region', { name: /^Result/ }).first().waitFor();
  assert.match(await editor().inputValue(), /^-- Bobbin's query for `task_groups`/);
});

for (const [theme, width] of [['light', 1400], ['dark', 1400], ['light', 480]]) {
  test(`looks, ${theme}, ${width}`, async () => {
    // The browser itself complains about the answers that were refused above.
    visitor.complaints = [];
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: theme });
    await visitor.go('sql', 'textarea');
    await visitor.shot(`sql-none-${theme}-${width}`, theme);
    await asked('select c.name, g.name as task_group, g.group_id, g.start_micros, g.stop_micros from task_group as g join cluster as c on c.id = g.cluster_id');
    await page.getByRole('table').first().waitFor();
    await accessible(page);
    await visitor.shot(`sql-${theme}-${width}`, theme);
    visitor.quiet();
  });
}
