import type { Caller } from '../../../core/access/caller.ts'
import type { Context } from '../../../core/context.ts'
import type { OrganizationRole, OrganizationRow } from '../../../platform/database/tables.ts'
import type { RenderedEmail } from '../../../platform/mail/email.ts'
import { renderEmail } from '../../../platform/mail/render-email.ts'
import { invitationEmail } from './emails.ts'

/** The link opens nothing. */
export function previewInvitation(
  { config }: Context,
  { user }: Caller,
  { name: organizationName }: OrganizationRow,
  role: OrganizationRole,
): RenderedEmail {
  const link = `${config.baseUrl}/invite/preview`
  const recipient = 'new.colleague@example.com'
  const names = { inviterName: user.name, inviterEmail: user.email, organizationName }
  return renderEmail(invitationEmail({ recipient, role, link, ...names }), config)
}
