// The users, their workspaces and their roles. A grant contains only scopes that the role of the consenting member allows
// (spec: Scopes, rule 3). Two of the roles allow only some of the default scopes, so that clients can test a grant with fewer
// scopes. Two of the users belong to two workspaces, and have a role in each of them. A grant is bound to one workspace.

import { ALL_SCOPES, CORE_SCOPES, splitScope } from './scopes.ts';

export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly plan: string | undefined;
}

export interface SandboxUser {
  /** The user id, which is also the claim `sub` and the `uid` in GET /v1/users/me. */
  readonly uid: string;
  readonly name: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly picture: string;
  /** Unix seconds. */
  readonly updatedAt: number;
}

/** A user's membership of one workspace. */
export interface Member extends SandboxUser {
  readonly role: string;
  readonly workspace: Workspace;
}

/** The default workspace. */
export const WORKSPACE: Workspace = {
  id: 'ws_5f2c8e01b7',
  name: 'Meridian Trading & Sons',
  type: 'business',
  plan: 'enterprise',
};

/** This workspace has no plan, so its tokens have no `plan` claim. */
const SECOND_WORKSPACE: Workspace = {
  id: 'ws_91d7b3a4e6',
  name: 'Lindqvist Family',
  type: 'personal',
  plan: undefined,
};

export const WORKSPACES: readonly Workspace[] = [WORKSPACE, SECOND_WORKSPACE];

/** Id of a workspace that no credential of the sandbox can access. */
export const FOREIGN_WORKSPACE_ID = 'ws_c0ffee0000';

function user(
  uid: string,
  name: string,
  email: string,
  updatedAt: number,
  emailVerified = true,
): SandboxUser {
  const picture = `https://images.example/members/${email.split('@')[0]}.png`;
  return { uid, name, email, emailVerified, picture, updatedAt };
}

const ADA = user('usr_7d1a40c29e', 'Ada Lindqvist', 'ada@meridian.example', 1_735_689_600);
const TOMAS = user('usr_1b90e6f3d5', 'Tomás Ó Briain', 'tomas@books.example', 1_738_108_800);
const YUKI = user('usr_e83c57a06b', 'Yuki "Y" <Sato>', 'yuki@meridian.example', 1_709_251_200, false);

export const USERS: readonly SandboxUser[] = [ADA, TOMAS, YUKI];

export const OWNER: Member = { ...ADA, role: 'owner', workspace: WORKSPACE };

/** The memberships of all users. The first membership of a user is the user's default. */
export const MEMBERS: readonly Member[] = [
  OWNER,
  { ...ADA, role: 'owner', workspace: SECOND_WORKSPACE },
  { ...TOMAS, role: 'accountant', workspace: WORKSPACE },
  { ...TOMAS, role: 'viewer', workspace: SECOND_WORKSPACE },
  { ...YUKI, role: 'viewer', workspace: WORKSPACE },
];

const READ = ALL_SCOPES.filter((scope) => scope.endsWith(':read'));

const ROLE_SCOPES: Readonly<Record<string, readonly string[]>> = {
  owner: ALL_SCOPES,
  accountant: [...CORE_SCOPES, ...READ.filter((scope) => scope !== 'users:read')],
  viewer: [...CORE_SCOPES, 'portfolios:read', 'integrations:read', 'workspace:read'],
};

export function findUser(uid: string): SandboxUser | undefined {
  return USERS.find((user) => user.uid === uid);
}

/** Finds a member by user id, email address or role. `WHO/WORKSPACE` selects a workspace that is not the default. */
export function memberNamed(text: string): Member | undefined {
  const [who = '', workspaceId = WORKSPACE.id] = text.split('/');
  return MEMBERS.filter(({ workspace }) => workspace.id === workspaceId).find(({ uid, email, role }) =>
    [uid, email, role].includes(who),
  );
}

export function membershipsOf(uid: string): Member[] {
  return MEMBERS.filter((member) => member.uid === uid);
}

export function findMember(uid: string, workspaceId: string): Member | undefined {
  return MEMBERS.find((member) => member.uid === uid && member.workspace.id === workspaceId);
}

/** Returns the scopes that the role allows, in the given order. */
export function scopesOfRole(role: string, scopes: readonly string[]): string[] {
  const allowed = new Set(ROLE_SCOPES[role] ?? []);
  return scopes.filter((scope) => allowed.has(scope));
}

export function narrow(member: Member, requested: unknown): string[] {
  return scopesOfRole(member.role, splitScope(requested));
}
