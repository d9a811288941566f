import { beforeEach, expect, test, vi } from 'vitest';
import type { ClusterRow, ClusterState } from '../../generated/api';
import { questions } from '../../state/questions.svelte';
import { Verdicts } from './verdicts.svelte';

const call = vi.hoisted(() => vi.fn());
vi.mock('../../api', () => ({ client: { call } }));

const row = (last_heard_micros: number, state: ClusterState) => ({ id: 7, last_heard_micros, state }) as ClusterRow;

beforeEach(() => {
  call.mockReset();
  call.mockImplementation(() => Promise.resolve({ rows: [{ id: 7, verdict: `verdict ${call.mock.calls.length}` }] }));
});

test('a verdict is asked for once, and again when its cluster reported or is in another state', async () => {
  const verdicts = new Verdicts();
  for (const seen of [row(5, 'running'), row(5, 'running'), row(9, 'running'), row(9, 'running')]) verdicts.want([seen]);
  expect(call).toHaveBeenCalledTimes(2);
  // It fell silent: nothing came of it since.
  verdicts.want([row(9, 'lost')]);
  await vi.waitFor(() => expect(verdicts.of(7)).toMatchObject({ verdict: 'verdict 3' }));
  // Somebody says that it is over, and takes it back.
  verdicts.want([row(9, 'finished')]);
  verdicts.want([row(9, 'lost')]);
  expect(call).toHaveBeenCalledTimes(5);
  verdicts.end();
});

test('the rows in sight are a question of the page for as long as they are in sight', () => {
  const verdicts = new Verdicts();
  const asked = () => questions.all.map(({ command, request }) => [command, JSON.parse(request)]);
  verdicts.want([row(5, 'running')]);
  verdicts.want([row(5, 'running'), { ...row(5, 'lost'), id: 8 }]);
  // What is known already is copied as well.
  verdicts.want([row(5, 'running'), { ...row(5, 'lost'), id: 8 }]);
  expect(asked()).toEqual([['verdicts', { ids: [7, 8] }]]);
  verdicts.want([]);
  expect(asked()).toEqual([]);
  verdicts.want([row(5, 'running')]);
  verdicts.end();
  expect(asked()).toEqual([]);
});
