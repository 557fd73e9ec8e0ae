// JavaScript, because the types of this file would be stripped before the cache is enabled. The code that strips types
// takes 17 MiB in each process and each thread, and only the first start needs it.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Without a writable folder, every start strips types and compiles. Threads learn the folder from the environment only.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))
enableCompileCache()

const { run } = await import('./commands/run.ts')
await run(process.argv.slice(2))
