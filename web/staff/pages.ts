import { Apps } from './apps/Apps.tsx'
import { Audit } from './audit/Audit.tsx'
import { forStaff } from './common/for-staff.tsx'
import { Emails } from './emails/Emails.tsx'
import { Invitations } from './invitations/Invitations.tsx'
import { Organization } from './organizations/Organization.tsx'
import { Organizations } from './organizations/Organizations.tsx'
import { Overview } from './overview/Overview.tsx'
import { System } from './system/System.tsx'
import { User } from './user/User.tsx'
import { Users } from './users/Users.tsx'
import './common/tabs.css'
import './overview/plot.css'
import './staff.css'

export const pages = {
  Apps: forStaff(Apps),
  Audit: forStaff(Audit),
  Emails: forStaff(Emails),
  Invitations: forStaff(Invitations),
  Organization: forStaff(Organization),
  Organizations: forStaff(Organizations),
  Overview: forStaff(Overview),
  System: forStaff(System),
  User: forStaff(User),
  Users: forStaff(Users),
}
