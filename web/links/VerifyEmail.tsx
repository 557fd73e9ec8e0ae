import { verifyEmail } from './endpoints.ts'
import { LinkPage } from './LinkPage.tsx'

export function VerifyEmail() {
  return (
    <LinkPage
      heading="Verify your email address"
      lead={({ email }) => (
        <>
          Press the button, and we know that the mailbox of <strong>{email}</strong> is yours.
        </>
      )}
      action={verifyEmail}
      label="Verify address"
      pendingLabel="Verifying…"
      remedy="Sign in and ask for a new email."
      done={{
        heading: 'Email address verified',
        lead: 'Thank you. Your email address is verified.',
        next: { label: 'Go to your account', path: '/account' },
      }}
    />
  )
}
