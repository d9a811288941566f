import { expect, test, vi } from 'vitest';

const hosts = Array.from({ length: 2_500 }, (_, i) => `node-${i}.cluster.example`);

vi.mock('../api', () => ({
  client: {
    call: (name: string, { offset, limit }: { offset: number; limit: number }) => {
      if (name === 'cluster') return Promise.resolve({ row: { host: 'login.example' }, facts: { scheduler_address: 'tls://gateway:8786', dashboard_url: null } });
      const rows = hosts.slice(offset, offset + limit).map((host) => ({ host }));
      return Promise.resolve({ rows, truncated: offset + rows.length < hosts.length });
    },
  },
}));

const { hostNames, hostsOf, wantHosts } = await import('./hosts');

test('the hosts of all workers are known, however many there are', async () => {
  wantHosts(1);
  await vi.waitFor(() => expect(hostsOf(1)).toContain('node-2499.cluster.example'));
  expect(hostsOf(1)).toEqual(expect.arrayContaining(['login.example', 'login', 'gateway', 'node-0.cluster.example', 'node-0', 'node-2499']));
});

test('a host has the name that it is called by inside of its domain, and an address has none', () => {
  expect([hostNames('node-3.example'), hostNames('node-3'), hostNames('10.0.0.7')]).toEqual([['node-3.example', 'node-3'], ['node-3'], ['10.0.0.7']]);
});
