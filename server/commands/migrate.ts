import type { Command } from './command.ts'
import { openMigrated } from './prepare.ts'

export const migrateCommand: Command = {
  summary: 'Bring the database up to date, and do nothing else',
  help: `Usage: npm run accounts -- migrate

Applies what is missing, under a lock and all or nothing. A database that is newer than this version is left alone.`,
  async run(config, world) {
    const { applied, close } = await openMigrated(config, world)
    try {
      console.log(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is up to date.')
    } finally {
      await close()
    }
  },
}
