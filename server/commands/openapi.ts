import type { Command } from './command.ts'
import { withOfflineApp } from './offline-app.ts'

export const openapiCommand: Command = {
  summary: 'Print the OpenAPI 3.1 document',
  help: `Usage: npm run accounts -- openapi

Prints the response of a running service to /api/auth/openapi.json. Opens no database. For a file, npm must not print its
own lines: npm run --silent accounts -- openapi > openapi.json`,
  run: (config, runtime) =>
    withOfflineApp(config, runtime, async (app) => {
      const { body } = await app.inject({ url: '/api/auth/openapi.json', authority: new URL(config.baseUrl).host })
      console.log(JSON.stringify(JSON.parse(body), null, 2))
    }),
}
