import { expect, test } from 'vitest';
import { firstHeat, readHeat, writeHeat, type HeatRoute } from './heatRoute';

function write(heat: HeatRoute): string {
  const q = new URLSearchParams();
  writeHeat(heat, (name, value, otherwise = null) => {
    if (value !== null && value !== '' && value !== otherwise) q.set(name, value);
  });
  return q.toString();
}

test('a selection of any names survives its address', () => {
  const heat: HeatRoute = {
    by: 'user',
    measure: 'cost',
    form: 'map',
    bin: 'hour',
    order: 'name',
    picks: [
      { row: { is: 'row', name: 'a;b@c..d=&#*' }, from: '2026-11-09', to: '2026-11-11' },
      { row: { is: 'every' }, from: 'h455321', to: 'h455321' },
      { row: { is: 'nameless' }, from: '1T14', to: '1T17' },
    ],
  };
  expect(readHeat(new URLSearchParams(write(heat)))).toEqual(heat);
  expect(write(firstHeat)).toBe('');
});

test('what is not understood is left out', () => {
  const read = (text: string) => readHeat(new URLSearchParams(text));
  expect(read('by=planet&measure=love&form=cube&bin=year&rows=up&pick=what;=a@yesterday;=%25E0@2026-11-09')).toEqual(firstHeat);
  expect(read('pick=*@2026-11-09;zz')).toEqual({ ...firstHeat, picks: [{ row: { is: 'every' }, from: '2026-11-09', to: '2026-11-09' }] });
});
