import type { Config } from '../platform/config/config.ts'
import type { Runtime } from '../platform/context.ts'

export interface Command {
  summary: string
  help: string
  run(config: Config, world: Runtime, commandArguments: string[]): Promise<void>
}

/** A mistake of whoever typed the command: its message is all they need. */
export class CommandError extends Error {
  override name = 'CommandError'
}
