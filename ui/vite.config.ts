/// <reference types="vitest/config" />
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// Tests read local times.
if (process.env.VITEST) process.env.TZ = 'UTC';

// The two engines that draw this page: WebKitGTK 2.44 and newer in the window, and browsers of 2024 and newer.
const engines = ['chrome123', 'firefox121', 'safari17.5'];

export default defineConfig({
  plugins: [svelte()],
  base: './',
  build: {
    target: engines,
    cssTarget: engines,
    outDir: 'dist',
    emptyOutDir: true,
    // A strict CSP has no data: URLs and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One style for all: a view that comes later is not seen without its own.
    cssCodeSplit: false,
    chunkSizeWarningLimit: 500,
  },
  server: { host: '127.0.0.1', port: 5173 },
  test: { include: ['src/**/*.test.ts'], environment: 'node', css: true },
});
