type Known = {
  typedEmail: string | undefined
  /** The user of the present session, who signs in again. An app may ask for another user. */
  user: { email: string } | undefined
  interaction: { loginHint: string | null; client: { isSelfRegistered: boolean } } | undefined
  /** The app or service that the user goes on to. */
  destination: { name: string } | null
  pending: { email: string; organizationName: string } | undefined
}

type Texts = { heading: string; lead: string | undefined; email: string }

export function signInTexts({ typedEmail, user, interaction, destination, pending }: Known): Texts {
  const email = typedEmail || interaction?.loginHint || user?.email || pending?.email || ''
  const name = destination && describeApp(destination.name, interaction?.client.isSelfRegistered)
  if (name !== null && user !== undefined && email === user.email)
    return { heading: 'Confirm that it’s you', lead: `Sign in again to go on to ${name}.`, email }
  return { heading: 'Sign in', lead: leadFor(name, pending?.organizationName), email }
}

/** The name of an app that registered itself can be anything. */
function describeApp(name: string, isSelfRegistered = false): string {
  return isSelfRegistered ? `${name}, which registered itself here: we don’t know who runs it` : name
}

function leadFor(destination: string | null, organizationName: string | undefined): string | undefined {
  if (destination !== null) return `to go on to ${destination}`
  return organizationName === undefined ? undefined : `to join ${organizationName}`
}
