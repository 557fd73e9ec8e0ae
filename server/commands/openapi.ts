import { buildApp } from '../app.ts'
import { openContext } from '../core/context.ts'
import type { Command } from './command.ts'

export const openapiCommand: Command = {
  summary: 'Print the OpenAPI 3.1 document',
  help: `Usage: npm run accounts -- openapi > openapi.json

Prints the response of a running service to /api/auth/openapi.json. Opens no database.`,
  async run(config, world) {
    const opened = openContext(config, world)
    // With row changes, the cache of callers would create triggers in the database.
    const app = await buildApp({ ...opened, rowChanges: undefined })
    try {
      // The document is complete after the registration of every route. `ready` would open the database.
      const { body } = await app.inject({ url: '/api/auth/openapi.json', authority: new URL(config.baseUrl).host })
      console.log(JSON.stringify(JSON.parse(body), null, 2))
    } finally {
      await app.close()
      await opened.close()
    }
  },
}
