import './chips.css'
import './organizations.css'
import { ApiKeys } from './ApiKeys.tsx'
import { Apps } from './Apps.tsx'
import { Invitations } from './Invitations.tsx'
import { Members } from './Members.tsx'
import { NewOrganization } from './NewOrganization.tsx'
import { Overview } from './Overview.tsx'
import { Settings } from './Settings.tsx'

export const pages = { ApiKeys, Apps, Invitations, Members, NewOrganization, Overview, Settings }
