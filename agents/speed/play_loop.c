/* The play of faroese4 in plain C: the benchmark's upper bound for the speed of the core.

   It deals, plays eight tricks of random legal cards and counts card points. It has no auction, no
   masks of legal actions for a caller and no observations. Cards are numbered by strength, trumps
   highest, so the best card of a trick is the largest integer. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CARDS 32
#define SEATS 4
#define TRICKS 8

static uint64_t state;

static inline uint32_t below(uint32_t n) { /* splitmix64, scaled */
    uint64_t z = (state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return (uint32_t)(((z >> 32) * n) >> 32);
}

static inline uint32_t pick(uint32_t mask) { /* a random bit of a mask */
    uint32_t n = below((uint32_t)__builtin_popcount(mask));
#ifdef __BMI2__
    return __builtin_ia32_pdep_si(1u << n, mask);
#else
    while (n--) mask &= mask - 1;
    return mask & -mask;
#endif
}

int main(int argc, char **argv) {
    long deals = argc > 1 ? atol(argv[1]) : 1000000;
    /* With red and with black trumps: sizes of the suits, trumps last, and ranks by card number. */
    static const int sizes[2][4] = {{6, 6, 7, 13}, {6, 7, 7, 12}};
    static const char *ranks[2] = {"789TKA789TKA789TQKA789TQKAJJJJQQ", "789TKA789TQKA789TQKA789TKAJJJJQQ"};
    uint32_t suit[2][CARDS], worth[2][5] = {{0}};
    for (int colour = 0; colour < 2; colour++) {
        for (int s = 0, first = 0; s < 4; first += sizes[colour][s++])
            for (int i = 0; i < sizes[colour][s]; i++)
                suit[colour][first + i] = ((1u << sizes[colour][s]) - 1) << first;
        for (int card = 0; card < CARDS; card++)
            for (int k = 0; k < 5; k++)
                if (ranks[colour][card] == "ATKQJ"[k]) worth[colour][k] |= 1u << card;
    }
    uint64_t total = 0;
    state = 1;
    clock_t begun = clock();
    for (long deal = 0; deal < deals; deal++) {
        uint8_t pack[CARDS];
        uint32_t hand[SEATS] = {0}, won[SEATS] = {0};
        for (int i = 0; i < CARDS; i++) pack[i] = (uint8_t)i;
        for (int i = CARDS - 1; i > 0; i--) {
            uint32_t j = below((uint32_t)i + 1);
            uint8_t kept = pack[i];
            pack[i] = pack[j];
            pack[j] = kept;
        }
        for (int i = 0; i < CARDS; i++) hand[i / TRICKS] |= 1u << pack[i];
        int colour = (int)below(2), leader = (int)below(SEATS);
        uint32_t trumps = suit[colour][CARDS - 1];
        for (int t = 0; t < TRICKS; t++) {
            uint32_t card = pick(hand[leader]), led = suit[colour][__builtin_ctz(card)];
            uint32_t trick = card, best = card;
            int winner = leader;
            hand[leader] ^= card;
            for (int p = 1; p < SEATS; p++) {
                int seat = (leader + p) % SEATS;
                uint32_t follows = hand[seat] & led;
                card = pick(follows ? follows : hand[seat]);
                hand[seat] ^= card;
                trick |= card;
                if ((card & (led | trumps)) > best) {
                    best = card;
                    winner = seat;
                }
            }
            won[winner] |= trick;
            leader = winner;
        }
        static const int points[5] = {11, 10, 4, 3, 2};
        for (int k = 0; k < 5; k++)
            total += (uint64_t)(points[k] * __builtin_popcount((won[0] | won[2]) & worth[colour][k]));
    }
    double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    printf("%.0f %.3f\n", (double)deals * CARDS / seconds, (double)total / (double)deals);
    return 0;
}
