import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { CommandError } from './command.ts'

/** @returns the error of a command that was called in a wrong way: the problem, then the help */
export function wrongUse(problem: string, help: string): CommandError {
  return new CommandError(`${problem}\n\n${help}`)
}

/** @throws CommandError with the problem, then the help */
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
  return parsed
}

function parse<Options extends ParseArgsOptionsConfig>(commandArguments: string[], options: Options, help: string) {
  try {
    return parseArgs({ args: commandArguments, options, allowPositionals: true, tokens: true })
  } catch (error) {
    // The other sentences explain positional arguments after `--`, and no command takes any.
    const [problem] = (error as Error).message.split(/\.? To specify|\n/)
    throw wrongUse(`${problem?.replace(/\.$/, '')}.`, help)
  }
}

/** @throws CommandError for an argument that the command would ignore */
export function refuseArguments([first]: string[], help: string): void {
  if (first !== undefined) throw wrongUse(`Unexpected argument "${first}".`, help)
}
