import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { CommandError } from './command.ts'

export function wrongUse(problem: string, help: string): CommandError {
  return new CommandError(`${problem}\n\n${help}`)
}

/**
 * Without ` -- `, npm takes an option of a command for its own and sets a variable. These options would be missed in
 * silence: `migrate --dry-run` would migrate. npm completes `--head` to its own `--heading`.
 */
const NPM_VARIABLES = {
  'dry-run': 'npm_config_dry_run',
  failed: 'npm_config_failed',
  head: 'npm_config_heading',
}

/** @throws CommandError */
export function readArguments<Options extends ParseArgsOptionsConfig>(
  commandArguments: string[],
  options: Options,
  help: string,
) {
  const { tokens, ...parsed } = parse(commandArguments, options, help)
  const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  // Only the last value would count.
  if (repeated !== undefined) throw wrongUse(`Option '--${repeated}' is repeated.`, help)
  const taken = process.env.npm_lifecycle_event === 'accounts' && findTakenByNpm(Object.keys(options), names)
  if (taken) throw wrongUse(`npm has taken --${taken}: write -- after accounts, as in the usage.`, help)
  return parsed
}

function findTakenByNpm(options: string[], found: string[]): string | undefined {
  const missing = options.filter((option) => !found.includes(option))
  const taken = Object.entries(NPM_VARIABLES).find(
    ([option, variable]) => missing.includes(option) && process.env[variable] !== undefined,
  )
  return taken?.[0]
}

function parse<Options extends ParseArgsOptionsConfig>(commandArguments: string[], options: Options, help: string) {
  try {
    return parseArgs({ args: commandArguments, options, allowPositionals: true, tokens: true })
  } catch (error) {
    // Node explains a value that begins with a dash in three sentences.
    const [, option] = /^Option '(--[\w-]+)[^']*' argument is ambiguous/.exec((error as Error).message) ?? []
    if (option) throw wrongUse(`${option} needs a value. Write ${option}=VALUE if the value begins with a dash.`, help)
    // The other sentences explain positional arguments after `--`, and no command takes any.
    const [problem] = (error as Error).message.split(/\.? To specify|\n/)
    throw wrongUse(`${problem?.replace(/\.$/, '')}.`, help)
  }
}

/** @throws CommandError for an argument that the command would ignore */
export function refuseArguments([first]: string[], help: string): void {
  if (first !== undefined) throw wrongUse(`Unexpected argument "${first}".`, help)
}
