/** Password managers need the account of a password. */
export function UsernameOfPassword({ email }: { email: string }) {
  return <input type="email" autoComplete="username" value={email} readOnly hidden />
}
