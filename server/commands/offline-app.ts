import { buildApp } from '../app.ts'
import { openContext } from '../core/context.ts'
import type { Config } from '../platform/config/config.ts'
import type { Runtime } from '../platform/context.ts'
import type { HttpApp } from '../platform/http/http-app.ts'

/** Runs a function with the app. Every route is registered, and no database is read or created. */
export async function withOfflineApp(
  config: Config,
  runtime: Runtime,
  use: (app: HttpApp) => void | Promise<void>,
): Promise<void> {
  const opened = openContext(config, runtime)
  // With row changes, the cache of callers would create triggers in the database.
  const app = await buildApp({ ...opened, rowChanges: undefined })
  try {
    await use(app)
  } finally {
    await app.close()
    await opened.close()
  }
}
