import type { Config } from '../platform/config/config.ts'
import { type OpenPlatform, openPlatform, type PlatformContext, type Runtime } from '../platform/context.ts'
import type { ProcessKind } from '../platform/database/open.ts'
import { createRepeatedEvents, type RepeatedEvents } from './audit/repeated-events.ts'

/** The first parameter of every use case. */
export interface Context extends PlatformContext {
  repeatedEvents: RepeatedEvents
}

export interface OpenContext extends Pick<OpenPlatform, 'testWrite' | 'rowChanges' | 'close'> {
  context: Context
  /** For periodic work, which may take longer and has separate database connections. */
  background: Context
}

/** Reads and writes nothing. */
export function openContext(config: Config, runtime: Runtime, processKind: ProcessKind = 'command'): OpenContext {
  const {
    context: platform,
    backgroundDatabase,
    testWrite,
    rowChanges,
    close,
  } = openPlatform(config, runtime, processKind)
  const repeatedEvents = createRepeatedEvents({ ...platform, database: backgroundDatabase })
  const context = { ...platform, repeatedEvents }
  return {
    context,
    background: { ...context, database: backgroundDatabase },
    testWrite,
    rowChanges,
    async close() {
      await repeatedEvents.close()
      await close()
    },
  }
}
