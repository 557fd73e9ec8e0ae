import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressAssets } from './compress-assets.ts'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), compressAssets()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Pages with an email address need the password as well. Each file costs bytes in the list of all files.
        codeSplitting: { groups: [{ name: 'fields', test: /forms.(CurrentPassword|Email|Password|Text)Field/ }] },
      },
    },
  },
})
