import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Only the first start strips types and compiles. Without a writable folder, every start does.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))

const { run } = await import('./commands/run.ts')
await run(process.argv.slice(2))
