import { Audit } from './audit/Audit.tsx'
import { Emails } from './emails/Emails.tsx'
import { Invitations } from './invitations/Invitations.tsx'
import { Organization } from './organizations/Organization.tsx'
import { Organizations } from './organizations/Organizations.tsx'
import { Overview } from './overview/Overview.tsx'
import { System } from './system/System.tsx'
import { User } from './user/User.tsx'
import { Users } from './users/Users.tsx'
import './staff.css'

export const pages = { Audit, Emails, Invitations, Organization, Organizations, Overview, System, User, Users }
