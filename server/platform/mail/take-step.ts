import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { SmtpServer } from '../config/smtp-server.ts'
import { MailServerError, type Stage } from './mail-server-error.ts'

export type Done<T> = (error?: Error | null, result?: T) => void

/** A step ends with its callback, the connection or the deadline. @param extend asked once, for further milliseconds */
export function takeStep<T>(
  connection: SMTPConnection,
  { deadlineMilliseconds }: SmtpServer,
  stage: Stage,
  step: (done: Done<T>) => void,
  extend = () => 0,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const finish: Done<T> = (error, result) => {
      clearTimeout(timer)
      connection.off('error', finish).off('end', onEnd)
      if (error) reject(new MailServerError(stage, error))
      else resolve(result as T)
    }
    // After a 421, the callback with this response follows the end in the same turn.
    const onEnd = () => setImmediate(finish, new Error('The connection ended.'))
    const giveUp = () => {
      finish(new Error('The mail server took too long.'))
      connection.close()
    }
    const onDeadline = () => {
      const furtherMilliseconds = extend()
      if (furtherMilliseconds > 0) timer = setTimeout(giveUp, furtherMilliseconds)
      else giveUp()
    }
    let timer = setTimeout(onDeadline, deadlineMilliseconds)
    connection.once('error', finish).once('end', onEnd)
    step(finish)
  })
}
