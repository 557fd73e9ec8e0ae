import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Types are stripped and code is compiled at the first start only; where the folder can't be written, at every one.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))

const { run } = await import('./commands/run.ts')
await run(process.argv.slice(2))
