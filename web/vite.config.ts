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
        // Pages that need the email field need the password field as well. Each further file makes the list of files
        // longer.
        codeSplitting: { groups: [{ name: 'fields', test: /forms.(CurrentPassword|Email|Password|Text)Field/ }] },
      },
    },
  },
})
