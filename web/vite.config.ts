import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: {
      // On localhost the service refuses requests for another host.
      '/api': { target: 'http://localhost:3000', changeOrigin: true },
      '/dev/mailbox/letters': { target: 'http://localhost:3000', changeOrigin: true },
    },
  },
})
