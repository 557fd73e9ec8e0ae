import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { runEveryPostgresTest } from '../support/every-postgres-test.ts'
import { startPostgres } from '../support/postgres.ts'
import { createCluster, PROGRAMS_PACKAGE } from '../support/postgres-cluster.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

/** docs/operations.md names its major version as the oldest. */
const OLDEST_VERSION = '14.23.0-beta.17'
/** This package has no locales, so the test uses the locale of the system. */
const LOCALE = ['--locale=C.UTF-8']

test(`The contract of databases, every route and two processes work on PostgreSQL ${OLDEST_VERSION}`, async (t) => {
  const folder = createTemporaryFolder(t)
  // npm run passes the settings of this project on, which know the install script of the current version only.
  const settings = ['--no-save', '--no-audit', '--no-strict-allow-scripts']
  await promisify(execFile)('npm', ['install', ...settings, `${PROGRAMS_PACKAGE}@${OLDEST_VERSION}`], { cwd: folder })
  const cluster = await createCluster({ installedIn: join(folder, 'index.js'), locale: LOCALE })
  const postgres = await startPostgres({ cluster })
  t.after(() => postgres.stop())
  await runEveryPostgresTest(postgres.url('postgres'))
})
