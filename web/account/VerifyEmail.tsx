import { verifyEmail } from './endpoints.ts'
import { LinkPage } from './LinkPage.tsx'

export function VerifyEmail() {
  return (
    <LinkPage
      heading="Confirm your email address"
      lead="One press, and we know that this mailbox is yours."
      confirm={verifyEmail}
      label="Confirm address"
      pendingLabel="Confirming…"
      remedy="Sign in and have a new letter sent to you."
      done={{
        heading: 'Address confirmed',
        lead: 'Thank you. Your email address is confirmed.',
        next: { label: 'Go to your account', path: '/account' },
      }}
    />
  )
}
