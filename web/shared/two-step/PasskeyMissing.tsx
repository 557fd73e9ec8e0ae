import { Link } from 'wouter'

/** For a user whose passkey is the only way to the second step. */
export function PasskeyMissing() {
  return (
    <>
      You signed in without your passkey. If you have lost it, <Link href="/forgot-password">set a new password</Link>,
      and remove it there.
    </>
  )
}
