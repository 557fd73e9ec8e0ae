// npm run check: all static checks. Every check runs, so that one run shows all findings.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const root = join(import.meta.dirname, '..')

const checks: Record<string, string[]> = {
  'format and lint': ['biome', 'ci', '--error-on-warnings'],
  'types of the server': ['tsc', '--noEmit'],
  'types of the pages': ['tsc', '--noEmit', '--project', 'web'],
  'unused code': ['knip'],
}

async function passes(name: string, [command = '', ...args]: string[]): Promise<boolean> {
  const child = spawn(join(root, 'node_modules/.bin', command), args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  console.log(code === 0 ? `✔ ${name}` : `✖ ${name}: ${command} ${args.join(' ')}\n\n${output}${errors}`)
  return code === 0
}

const results = await Promise.all(Object.entries(checks).map(([name, command]) => passes(name, command)))
process.exitCode = results.every(Boolean) ? 0 : 1
