import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { CommandError } from './command.ts'

/** @returns the error of a command that was called in a wrong way: the problem, then the help */
export function wrongUse(problem: string, help: string): CommandError {
  return new CommandError(`${problem}\n\n${help}`)
}

/** @throws CommandError with the problem, then the help */
export function readArguments<Options extends ParseArgsOptionsConfig>(args: string[], options: Options, help: string) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
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
