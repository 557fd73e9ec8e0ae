import { describeCircumstances } from '../../platform/mail/circumstances.ts'
import type { Email } from '../../platform/mail/email.ts'
import { type PreparedEmail, prepareEmail } from '../../platform/mail/outbox.ts'
import type { Actor } from '../audit/actor.ts'
import type { Context } from '../context.ts'

/** Prepared before the transaction of a sign-in, which finds out whether the device is new, and sets the recipient. */
export function prepareNewDeviceEmail(context: Context, actor: Actor): PreparedEmail {
  const circumstances = { at: context.now(), ...actor }
  return prepareEmail(context, newDeviceEmail('', `${context.config.baseUrl}/account/security`, circumstances))
}

export function prepareUnfinishedSignInEmail(context: Context, actor: Actor, subjectId: string): PreparedEmail {
  const circumstances = { at: context.now(), ...actor }
  const email = unfinishedSignInEmail('', `${context.config.baseUrl}/account/security`, circumstances)
  return prepareEmail(context, { ...email, subjectId })
}

export function newDeviceEmail(
  recipient: string,
  link: string,
  circumstances: Parameters<typeof describeCircumstances>[0],
): Email {
  return {
    kind: 'new sign-in',
    recipient,
    subject: 'New sign-in to your account',
    heading: 'New sign-in',
    paragraphs: [
      'Your account was signed in to on a device where it had not been before, or not since it was signed out everywhere.',
      describeCircumstances(circumstances),
      'If it was you, there is nothing to do.',
    ],
    action: { label: 'See where you are signed in', url: link },
    footnote: 'If it was not you, change your password on that page: it signs out every other device.',
  }
}

export function unfinishedSignInEmail(
  recipient: string,
  link: string,
  circumstances: Parameters<typeof describeCircumstances>[0],
): Email {
  return {
    kind: 'sign-in not finished',
    recipient,
    subject: 'Your password was entered on another device',
    heading: 'Sign-in not finished',
    paragraphs: [
      'Your password was entered on another device, and the second step of the sign-in did not follow.',
      describeCircumstances(circumstances),
      'If it was you, there is nothing to do.',
    ],
    action: { label: 'Change your password', url: link },
    footnote: 'If it was not you, someone else knows your password. Change it on that page.',
  }
}
