import { verifyEmail } from './endpoints.ts'
import { LinkPage } from './LinkPage.tsx'

export function ChangeEmail() {
  return (
    <LinkPage
      heading="Change your email address"
      lead={({ email, newEmail }) => (
        <>
          Your account changes from <strong>{email}</strong> to <strong>{newEmail}</strong>. You’ll sign in with the new
          address, and our emails will go to it. You’ll stay signed in only where you asked for the change.
        </>
      )}
      action={verifyEmail}
      label="Change address"
      pendingLabel="Changing…"
      remedy="Your address may have changed already: sign in with the new one. If it hasn’t, sign in and change it again."
      done={{
        heading: 'Address changed',
        lead: 'Sign in with your new address from now on.',
        next: { label: 'Go to your account', path: '/account' },
      }}
    />
  )
}
