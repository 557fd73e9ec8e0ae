import { buildApp } from '../app.ts'
import { openContext } from '../core/context.ts'
import type { Command } from './command.ts'

export const openapiCommand: Command = {
  summary: 'Print the OpenAPI 3.1 document',
  help: `Usage: npm run accounts -- openapi > openapi.json

Prints what a running service answers at /api/auth/openapi.json. No database is touched.`,
  async run(config, world) {
    const opened = openContext(config, world)
    // The cache of callers would set up its triggers in the database.
    const app = await buildApp({ ...opened, rowChanges: undefined })
    try {
      // The document is complete once every route is registered; `ready` would want the database.
      const { body } = await app.inject({ url: '/api/auth/openapi.json', authority: new URL(config.baseUrl).host })
      console.log(JSON.stringify(JSON.parse(body), null, 2))
    } finally {
      await app.close()
      await opened.close()
    }
  },
}
