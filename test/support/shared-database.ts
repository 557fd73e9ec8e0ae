import type { TestContext } from 'node:test'
import { newSecret, startProcess } from './process.ts'
import { startSmtpSink } from './smtp-sink.ts'
import { createTestDatabase } from './test-database.ts'

/** Prepares processes with one PostgreSQL and a real mail server, and with one origin, as behind a load balancer. */
export async function prepareSharedDatabase(t: TestContext) {
  const sink = await startSmtpSink()
  t.after(() => sink.close())
  const testDatabase = await createTestDatabase('postgres')
  t.after(() => testDatabase.drop())
  const environment = {
    SECRET: newSecret(),
    SMTP_URL: sink.url,
    BASE_URL: 'https://accounts.example.com',
    LOG_LEVEL: 'error',
  }
  const start = async (options: { mainFile?: string } = {}) => {
    const started = await startProcess(testDatabase.url, environment, options)
    t.after(() => started.child.kill('SIGKILL'))
    return started
  }
  return { sink, environment: { ...environment, DATABASE_URL: testDatabase.url }, start }
}
