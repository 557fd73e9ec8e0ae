import { verifyEmail } from './endpoints.ts'
import { LinkPage } from './LinkPage.tsx'

export function ChangeEmail() {
  return (
    <LinkPage
      heading="Change your email address"
      lead="From then on you sign in with this new address, and our letters go to it. On your other devices you’ll be signed out."
      confirm={verifyEmail}
      label="Change address"
      pendingLabel="Changing…"
      remedy="Sign in and change the address once more."
      done={{
        heading: 'Address changed',
        lead: 'Sign in with your new address from now on.',
        next: { label: 'Go to your account', path: '/account' },
      }}
    />
  )
}
