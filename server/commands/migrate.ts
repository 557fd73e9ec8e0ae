import type { Command } from './command.ts'
import { openMigrated } from './prepare.ts'

export const migrateCommand: Command = {
  summary: 'Bring the database up to date',
  help: `Usage: npm run accounts -- migrate

Applies the missing migrations, all or none of them, under a lock. A database that is newer than this version stays
unchanged.`,
  async run(config, runtime) {
    const { applied, close } = await openMigrated(config, runtime)
    try {
      console.log(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is up to date.')
    } finally {
      await close()
    }
  },
}
