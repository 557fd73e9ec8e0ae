import { openContext } from '../context.ts'
import { migrate } from '../database/migrate.ts'
import type { Command } from './command.ts'

export const migrateCommand: Command = {
  summary: 'Bring the database up to date, and do nothing else',
  help: `Usage: npm run accounts -- migrate

Applies what is missing, under a lock and all or nothing. A database that is newer than this version is left alone.`,
  async run(config, world) {
    const { context, close } = openContext(config, world)
    try {
      const applied = await migrate(context.database)
      console.log(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is up to date.')
    } finally {
      await close()
    }
  },
}
