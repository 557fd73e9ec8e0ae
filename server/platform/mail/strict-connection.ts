import type { Readable } from 'node:stream'
import SMTPConnection, { type Options } from 'nodemailer/lib/smtp-connection'
import type { Done } from './take-step.ts'

/** The library has no types for these. Its version is pinned, and the tests of conversations depend on each. */
interface Internals {
  _remainder: string
  _responseQueue: string[]
  _responseActions: ((response: string) => void)[]
  _sendCommand(command: string): void
  _processResponse(): void
  _actionDATA(response: string, done: Done<unknown>): void
  _createSendStream(done: Done<string>): Readable
}

const Connection = SMTPConnection as unknown as new (options: Options) => SMTPConnection & Internals

/** The library takes some responses for an acceptance that are none. An email wrongly marked as sent is lost. */
export class StrictConnection extends Connection {
  /** Whether the whole content of the email went to the server before any response to it. */
  isContentSent = false

  override send(...parameters: Parameters<SMTPConnection['send']>): void {
    // It stays false until the server responds to this email.
    this.lastServerResponse = false
    this.isContentSent = false
    super.send(...parameters)
  }

  /** The library decides by the first line of a response. Most clients decide by the last one. */
  override _processResponse(): void {
    const [response] = this._responseQueue
    if (response !== undefined) this._responseQueue[0] = withCodeOfLastLine(response)
    super._processResponse()
  }

  /** After one response too many, the server may answer an earlier command here, and still expect commands. */
  override _actionDATA(response: string, done: Done<unknown>): void {
    if (response.startsWith('2')) this.fail(done, `The mail server answers DATA with “${response}” instead of 354.`)
    else super._actionDATA(response, done)
  }

  override _createSendStream(done: Done<string>): Readable {
    const stream = super._createSendStream((error, response) => {
      if (this.isContentSent) done(error, response)
      else this.fail(done, error ?? `The mail server responds with “${response}” before the end of the email.`)
    })
    stream.once('end', () => {
      this.isContentSent = `${this._responseQueue.join('')}${this._remainder}`.trim() === ''
    })
    return stream
  }

  /** Closes the connection: the server could take the next command for a part of the email. */
  private fail(done: Done<never>, error: Error | string): void {
    this.close()
    done(typeof error === 'string' ? new Error(error) : error)
  }
}

/** All lines have the same code (RFC 5321, section 4.2.1). A last line without a code makes the response unclear. */
function withCodeOfLastLine(response: string): string {
  const [code = ''] = /^\d{3}/.exec(response.slice(response.lastIndexOf('\n') + 1)) ?? []
  return response.replace(/^\d{3}(?=-)/gm, code)
}
