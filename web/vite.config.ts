import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Rolldown } from 'vite'
import { compressAssets } from './compress-assets.ts'

/** The sign-in page and the pages of emailed links, which a browser without any stored file opens. */
const FIRST_PAGES = ['entry/sign-in-pages.ts', 'links/pages.ts'].map((file) => join(import.meta.dirname, file))

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
        // Without groups, each combination of pages that share a module gets a file of its own, and a page needs forty.
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'] },
            { name: nameOfFirstPages(), debugName: 'first pages', minShareCount: 2 },
            { name: 'shared', minShareCount: 2 },
          ],
        },
      },
    },
  },
})

/** Puts the modules that the first pages load into one file, so that these pages load no module of the other pages. */
function nameOfFirstPages(): Rolldown.CodeSplittingNameFunction {
  let loaded: Set<string> | undefined
  return (id, context) => {
    loaded ??= findLoaded(FIRST_PAGES, context)
    return loaded.has(id) ? 'first-pages' : null
  }
}

/** The modules with these ids, and those that they import statically. */
function findLoaded(ids: string[], context: Rolldown.ChunkingContext, found = new Set<string>()): Set<string> {
  for (const id of ids) {
    if (found.has(id)) continue
    found.add(id)
    findLoaded(context.getModuleInfo(id)?.importedIds ?? [], context, found)
  }
  return found
}
