import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { getFreePort } from '../../test/support/free-port.ts'
import { startProcess } from '../../test/support/process.ts'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { toReadableLine } from './log.ts'

const MAIN = new URL('../main.mjs', import.meta.url).pathname

test('A log line for a terminal has the time, the level, the message and the fields, and no escape sequence', () => {
  const line = {
    level: 40,
    time: 0,
    pid: 1,
    hostname: 'h',
    emailId: 'eml_1',
    reason: 'no\u001b[2J\u009b2J \u202eroom',
    msg: 'an \u009b\u202eemail',
  }
  assert.match(
    toReadableLine(JSON.stringify(line)),
    /^\d\d:\d\d:\d\d WARN {2}an {2}email {2}emailId=eml_1 reason="no\\u001b\[2J 2J room"\n$/,
  )
  const failed = { level: 50, time: 0, msg: 'failed', err: { stack: 'Error: x\u001b\u202e\n    at y' } }
  assert.match(toReadableLine(JSON.stringify(failed)), / ERROR failed\nError: x\n {4}at y\n$/)
})

test('The log has lines to read when standard error is a terminal, and JSON otherwise', async (t) => {
  const folder = createTemporaryFolder(t)
  const piped = await startProcess(`sqlite:${folder}/accounts.db`)
  piped.child.kill('SIGTERM')
  await piped.ended
  assert.match(piped.output(), /^\{"level":30,.*"msg":"stopping"\}$/m)

  const PORT = String(await getFreePort())
  const env = { PATH: process.env.PATH, PORT, DATABASE_URL: `sqlite:${folder}/accounts.db`, SHELL: '/bin/sh' }
  // `script` runs a command in a pseudo-terminal. The shell tells this process where to send the signal.
  const command = `echo pid=$$; exec ${process.execPath} ${MAIN} start`
  const terminal = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => terminal.kill('SIGKILL'))
  let shown = ''
  terminal.stdout.setEncoding('utf8').on('data', (part: string) => {
    if (!shown.includes('Accounts is ready') && `${shown}${part}`.includes('Accounts is ready'))
      process.kill(Number(/pid=(\d+)/.exec(shown + part)?.[1]), 'SIGTERM')
    shown += part
  })
  await text(terminal.stdout)
  assert.match(shown, /^\d\d:\d\d:\d\d info {2}stopping {2}signal=SIGTERM\r?$/m)
})
