import type { Config } from '../platform/config/config.ts'
import type { Runtime } from '../platform/context.ts'

export interface Command {
  summary: string
  help: string
  /** Every other command refuses all arguments except --help. */
  takesArguments?: true
  run(config: Config, runtime: Runtime, commandArguments: string[]): Promise<void>
}

/** Ends a command. The message contains the problem, and is printed without a stack. */
export class CommandError extends Error {
  override name = 'CommandError'
}
