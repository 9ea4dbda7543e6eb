// Spec: NFT holding (legacy endpoint). The sandbox generates NFTs, because the specification defines every field of the NFT
// record.

import { SPAN_END, SPAN_START } from '../../books/prices.ts';
import { digest } from '../../core/hash.ts';
import { createRandom, type Random } from '../../core/random.ts';
import type { ConnectedAccount } from '../integrations/entities.ts';

export const CHAINS = ['ethereum', 'polygon'] as const;

/** An NFT with its chain. A request can filter NFTs by chain, but an NFT record has no field for the chain. */
export type ChainedNft = ReturnType<typeof buildNfts>[number];

/** Number of NFTs. The number exceeds the default page size, so that clients need a second page. */
const COUNT = 140;
const HOLDERS = ['metamask', 'ledger', 'safe', 'ethereum', 'polygon'];
const COLLECTIONS = [
  { name: 'Meridian Stones', chain: 'ethereum', floor: 812.5, spam: false },
  { name: 'Paper Boats', chain: 'ethereum', floor: 37.12, spam: false },
  { name: 'Night Trains', chain: 'polygon', floor: 4.4, spam: false },
  { name: 'Tickets, Season 3', chain: 'polygon', floor: 0.9, spam: false },
  { name: '=HYPERLINK("http://claim.example","Free mint")', chain: 'polygon', floor: 0, spam: true },
  { name: '\u001b]0;owned\u0007Airdrop \u202etisiv', chain: 'ethereum', floor: 0, spam: true },
] as const;
type Collection = (typeof COLLECTIONS)[number];

export function buildNfts(seed: string, accounts: readonly ConnectedAccount[]) {
  const random = createRandom(`${seed}/nfts`);
  const holders = accounts.filter(({ providerId }) => HOLDERS.includes(providerId));
  return Array.from({ length: COUNT }, (_, index) => {
    const collection = random.pick<Collection>(COLLECTIONS);
    const holder = holders[random.below(holders.length)];
    return { chain: collection.chain, holding: build(seed, index, collection, holder, random) };
  });
}

function build(
  seed: string,
  index: number,
  { name, floor, spam }: Collection,
  holder: ConnectedAccount | undefined,
  random: Random,
) {
  const hash = (what: string) => digest(`${seed}/nft/${what}`);
  const multi = random.chance(0.3);
  // Token ids have up to 78 digits.
  const tokenId = random.chance(0.2)
    ? BigInt(`0x${hash(`token/${index}`)}`).toString()
    : String(index * 7 + 1);
  const usd = (price: number) => ({ price: Math.round(price * 100) / 100, baseCurrency: 'USD' });
  const contractAddress = `0x${hash(`contract/${name}`).slice(0, 40)}`;
  const amount = multi ? 1 + random.below(40) : 1;
  const soldAt = SPAN_START + Math.floor((SPAN_END - SPAN_START) * random.next());
  const media = `https://images.example/nfts/${hash(`media/${index}`).slice(0, 12)}`;
  return {
    id: `nft_${hash(`id/${index}`).slice(0, 16)}`,
    contractAddress,
    tokenId,
    name: `${name} #${tokenId.slice(0, 6)}`,
    description: spam ? `Visit ${name}` : `One of ${name}.\nHeld since the first day.`,
    contentType: random.chance(0.2) ? 'video/mp4' : 'image/png',
    nftUrl: `${media}.png`,
    thumbnailUrl: `${media}-small.png`,
    source: {
      provider: holder?.provider ?? '',
      walletId: holder?.walletId ?? '',
      publicAddress: holder?.publicAddress ?? '',
    },
    ercType: multi ? 'ERC-1155' : 'ERC-721',
    amount,
    price: usd(floor * (1 + random.next())),
    isNftSpam: spam,
    collection: {
      collectionId: `col_${hash(`collection/${name}`).slice(0, 12)}`,
      name,
      description: `The collection ${name}`,
      imageUrl: 'https://images.example/collections/cover.png',
      floorPrice: [usd(floor)],
      ownerCount: 100 + name.length * 37,
      totalQuantity: 10_000,
      socialLinks: spam ? [] : [{ platform: 'website', url: 'https://collection.example' }],
    },
    lastSale: {
      fromAddress: `0x${hash(`from/${index}`).slice(0, 40)}`,
      toAddress: holder?.publicAddress ?? '',
      quantity: amount,
      timestamp: new Date(soldAt).toISOString(),
      transactionHash: `0x${hash(`sale/${index}`)}`,
      marketplaceName: random.pick(['Open Bazaar', 'Blurred']),
      totalPrice: usd(floor * amount * (0.5 + random.next())),
    },
  };
}
